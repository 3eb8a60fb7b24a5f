local function map(xs, f)
  local ys = {}
  for i = 1, #xs do
    ys[i] = f(xs[i])
  end
  return ys
end

local function filter(xs, f)
  local ys = {}
  for i = 1, #xs do
    if f(xs[i]) then
      ys[#ys + 1] = xs[i]
    end
  end
  return ys
end

local function reduce(xs, acc, f)
  for i = 1, #xs do
    acc = f(acc, xs[i])
  end
  return acc
end

return function()
  local xs = {}
  for i = 0, 49999 do
    xs[i + 1] = i
  end
  local squares = map(xs, function(x) return x * x end)
  local even = filter(squares, function(x) return x % 2 == 0 end)
  return reduce(even, 0, function(acc, x) return (acc + x) % 1000003 end)
end
