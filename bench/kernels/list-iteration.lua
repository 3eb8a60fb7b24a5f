return function()
  local xs = {}
  for i = 0, 99999 do
    xs[i + 1] = i
  end
  local total = 0
  for _, x in ipairs(xs) do
    total = total + x
  end
  return total
end
