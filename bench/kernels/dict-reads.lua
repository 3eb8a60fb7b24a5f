return function()
  local config = { width = 3, height = 4, depth = 5, name = "box" }
  local total = 0
  for i = 0, 99999 do
    total = total + config.width * config.height + config["depth"]
  end
  return total
end
