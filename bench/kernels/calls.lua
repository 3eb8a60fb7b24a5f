local function add(a, b)
  return a + b
end

return function()
  local total = 0
  for i = 0, 149999 do
    total = add(total, i) % 1000003
  end
  return total
end
