local function numbers(n)
  return coroutine.wrap(function()
    local i = 0
    while i < n do
      coroutine.yield(i)
      i = i + 1
    end
  end)
end

return function()
  local total = 0
  for x in numbers(100000) do
    total = total + x
  end
  return total
end
