local function area(s)
  local variant = s.variant
  if variant == "Dot" then
    return 0
  elseif variant == "Circle" then
    return s.r * 3
  elseif variant == "Rect" then
    return s.w * s.h
  end
  error("no variant matches")
end

return function()
  local shapes = { { variant = "Dot" }, { variant = "Circle", r = 2 }, { variant = "Rect", w = 3, h = 4 } }
  local total = 0
  for _ = 0, 19999 do
    for _, shape in ipairs(shapes) do
      total = total + area(shape)
    end
  end
  return total
end
