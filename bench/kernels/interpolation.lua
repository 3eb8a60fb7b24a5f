return function()
  local name = "box"
  local length = 0
  for i = 0, 49999 do
    local line = name .. ": " .. i .. " of " .. i * 2
    length = length + #line
  end
  return length
end
