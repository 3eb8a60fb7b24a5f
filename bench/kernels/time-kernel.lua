-- Times the function a kernel returns: lua time-kernel.lua KERNEL.lua ROUNDS -> result and best milliseconds (of CPU:
-- Lua has no finer clock of its own).
local main = dofile(arg[1])
local result = main()
local best = math.huge
for _ = 1, tonumber(arg[2]) do
  local begin = os.clock()
  main()
  best = math.min(best, (os.clock() - begin) * 1000)
end
print(result .. " " .. best)
