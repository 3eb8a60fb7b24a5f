return function()
  local tasks = {}
  for i = 0, 9999 do
    tasks[i + 1] = coroutine.create(function(x) return x * 2 end)
  end
  local sum = 0
  for i = 1, #tasks do
    local _, y = coroutine.resume(tasks[i], i - 1)
    sum = sum + y
  end
  return sum
end
