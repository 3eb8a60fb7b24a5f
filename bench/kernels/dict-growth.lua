return function()
  local d = {}
  for i = 0, 99999 do
    d["k" .. i] = i
  end
  local total = 0
  for i = 0, 99999 do
    total = total + d["k" .. i]
  end
  return total
end
