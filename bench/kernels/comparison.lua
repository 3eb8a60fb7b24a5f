return function()
  local hits = 0
  local i = 0
  while i < 100000 do
    if i > 500 and i <= 90000 or i == 7 then
      hits = hits + 1
    end
    if i ~= hits then
      hits = hits + 1
    end
    i = i + 1
  end
  return hits
end
