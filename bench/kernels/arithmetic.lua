return function()
  local total = 0
  local i = 0
  while i < 200000 do
    total = total + i * 3 % 7
    if i % 2 == 0 then
      total = total - 1
    end
    i = i + 1
  end
  return total
end
