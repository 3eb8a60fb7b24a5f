-- Appending to a string is quadratic in Lua, so its usual buffer does the work.
return function()
  local parts = {}
  for i = 0, 49999 do
    parts[#parts + 1] = "item " .. i .. ", "
  end
  return #table.concat(parts)
end
