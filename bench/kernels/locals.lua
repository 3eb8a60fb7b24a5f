local function mix(a, b)
  local c = a + b
  local d = c * 2
  local e = d - a
  local f = e + c
  local g = f - d
  return g + e
end

return function()
  local total = 0
  for i = 0, 49999 do
    total = (total + mix(i, 3)) % 1000003
  end
  return total
end
