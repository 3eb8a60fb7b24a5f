return function()
  local xs = {}
  for i = 0, 999 do
    xs[i + 1] = i
  end
  for i = 0, 99999 do
    xs[i % 1000 + 1] = xs[i % 1000 + 1] + 1
  end
  local sum = 0
  for i = 1, #xs do
    sum = sum + xs[i]
  end
  return sum
end
