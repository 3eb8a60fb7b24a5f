return function()
  local xs = {}
  for i = 0, 199999 do
    xs[#xs + 1] = i
  end
  return #xs
end
