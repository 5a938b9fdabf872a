-- Drives Neovims as child processes by their RPC. Waits on conditions only.
local H = { passed = 0, failed = 0 }

local uv = vim.uv or vim.loop
local v = vim.version()
H.editor = ('neovim %d.%d.%d'):format(v.major, v.minor, v.patch)
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')

function H.check(what, ok, detail)
  if ok then
    H.passed = H.passed + 1
    io.stdout:write(('pass: %s: %s\n'):format(H.editor, what))
  else
    H.failed = H.failed + 1
    detail = detail and (': ' .. (type(detail) == 'string' and detail or vim.inspect(detail)):gsub('%s+', ' ')) or ''
    io.stdout:write(('fail: %s: %s%s\n'):format(H.editor, what, detail))
  end
  io.stdout:flush()
  return ok
end

function H.note(...)
  io.stdout:write(('      ' .. ...):format(select(2, ...)), '\n')
  io.stdout:flush()
end

-- until_true waits for a condition, up to ms (a minute).
function H.until_true(fn, ms)
  return (vim.wait(ms or 60000, fn, 20))
end

local Child = {}
Child.__index = Child

-- nvim starts a Neovim with the configuration init.lua on a file of folder dir.
function H.nvim(dir, file, env)
  local chan = vim.fn.jobstart({ vim.v.progpath, '--embed', '--headless', '-u', here .. '/init.lua', '-i', 'NONE', '-n', file }, {
    rpc = true,
    cwd = dir,
    env = env or vim.empty_dict(),
  })
  assert(chan > 0, 'no Neovim')
  local child = setmetatable({ chan = chan, pid = vim.fn.jobpid(chan) }, Child)
  child:lua('return 1') -- has read its configuration
  return child
end

-- A prompt, such as "Press ENTER", would make every request wait for ever. It is
-- a failure by itself: it eats the next key of a person.
function Child:unblock()
  while true do
    local mode = vim.fn.rpcrequest(self.chan, 'nvim_get_mode')
    if not mode.blocking then
      return
    end
    H.check('no prompt is in the way', false, mode.mode)
    vim.fn.rpcrequest(self.chan, 'nvim_input', '<CR>')
    vim.wait(50)
  end
end

-- lua runs a chunk in the child and returns its value.
function Child:lua(code, ...)
  self:unblock()
  local value = vim.fn.rpcrequest(self.chan, 'nvim_exec_lua', code, { ... })
  return value ~= vim.NIL and value or nil
end

function Child:cmd(command)
  self:unblock()
  vim.fn.rpcrequest(self.chan, 'nvim_command', command)
end

-- wait checks that an expression gets true in the child.
function Child:wait(what, expr, ms)
  local ok = H.until_true(function()
    return self:lua('return (' .. expr .. ') and true or false') == true
  end, ms)
  return H.check(what, ok, not ok and self:lua([[return {
    lenses = lenses(), diagnostics = #diagnostics(), last = seen.messages[#seen.messages], status = require('hocket').status() }]]))
end

-- said waits for a message that contains a text, after those seen before.
function Child:said(what, text, ms)
  local ok = H.until_true(function()
    for _, m in ipairs(self:lua('return seen.messages')) do
      if m:find(text) then
        return true
      end
    end
  end, ms)
  return H.check(what, ok, not ok and self:lua('return seen.messages'))
end

function Child:forget()
  self:lua('seen.messages, seen.progress, seen.questions, seen.inputs = {}, {}, {}, {}')
end

-- quit ends the editor as a person does, and waits until it is gone.
function Child:quit()
  pcall(vim.fn.rpcnotify, self.chan, 'nvim_command', 'qa!')
  if vim.fn.jobwait({ self.chan }, 60000)[1] == -1 then
    vim.fn.jobstop(self.chan)
    return false
  end
  return true
end

-- processes returns pid → { ppid, command }.
local function processes()
  local all = {}
  for name in vim.fs and vim.fs.dir('/proc') or function() return nil end do
    all[name] = true
  end
  if not next(all) then
    local dir = uv.fs_scandir('/proc')
    while true do
      local name = uv.fs_scandir_next(dir)
      if not name then
        break
      end
      all[name] = true
    end
  end
  local found = {}
  for name in pairs(all) do
    local f = name:match('^%d+$') and io.open('/proc/' .. name .. '/stat')
    if f then
      local stat = f:read('*a') or ''
      f:close()
      local state, ppid = stat:match('%) (%a) (%d+)')
      local c = io.open('/proc/' .. name .. '/cmdline')
      local command = c and (c:read('*a') or ''):gsub('%z', ' ') or ''
      if c then
        c:close()
      end
      if state and state ~= 'Z' then
        found[tonumber(name)] = { ppid = tonumber(ppid), command = command }
      end
    end
  end
  return found
end

-- below returns the processes that pid has started, and theirs.
function H.below(pid)
  local all, found = processes(), {}
  local function add(parent)
    for p, info in pairs(all) do
      if info.ppid == parent then
        found[p] = info.command
        add(p)
      end
    end
  end
  add(pid)
  return found
end

-- server returns the pid of the Hocket server of a child. A job of the server
-- has its name, too, for the moment in which it starts.
function Child:server()
  for pid, info in pairs(processes()) do
    if info.ppid == self.pid and info.command:find('hocket lsp', 1, true) then
      return pid
    end
  end
end

-- gone waits until none of the processes exists.
function H.gone(pids, ms)
  return H.until_true(function()
    local all = processes()
    for pid in pairs(pids) do
      if all[pid] then
        return false
      end
    end
    return true
  end, ms)
end

-- hocket runs the command in a folder and returns what it prints, and its code.
function H.hocket(dir, args)
  local out = {}
  local job = vim.fn.jobstart(vim.list_extend({ os.getenv('HOCKET') }, args), {
    cwd = dir,
    stdout_buffered = true,
    on_stdout = function(_, data)
      out = data
    end,
  })
  local code = vim.fn.jobwait({ job }, 300000)[1]
  vim.wait(1000, function() return #out > 0 end, 10)
  return table.concat(out, '\n'), code
end

function H.now()
  return uv.hrtime() / 1e6
end

function H.signal(pid, signal)
  uv.kill(pid, signal)
end

-- copy copies the module of the tests into a fresh folder.
function H.copy()
  local dir = vim.fn.tempname()
  vim.fn.mkdir(dir, 'p')
  vim.fn.system({ 'cp', '-r', here .. '/../module', dir .. '/module' })
  vim.fn.delete(dir .. '/module/.hocket', 'rf')
  return uv.fs_realpath(dir .. '/module')
end

-- main runs a scenario; an error in it is a failure.
function H.main(scenario)
  local ok, err = xpcall(scenario, debug.traceback)
  if not ok then
    H.check('no error in the test', false, err)
  end
  vim.cmd(H.failed == 0 and 'qa!' or 'cq!')
end

return H
