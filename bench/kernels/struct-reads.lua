local Point = {}
Point.__index = Point

return function()
  local p = setmetatable({ x = 3, y = 4 }, Point)
  local total = 0
  for _ = 0, 99999 do
    total = total + p.x * p.y + p.x
  end
  return total
end
