-- A debug adapter client with nvim-dap's interface, as far as Hocket's snippets
-- and plugin use it: adapters, a table or a function that hands one to a
-- callback; run(configuration); the order of requests is nvim-dap's. Loaded in
-- the Neovims under test in its place.
local M = { adapters = {} }

local s -- the session

local function send(message, done)
  s.seq = s.seq + 1
  message.seq = s.seq
  s.waiting[s.seq] = done
  local body = vim.fn.json_encode(message)
  vim.fn.chansend(s.job, ('Content-Length: %d\r\n\r\n%s'):format(#body, body))
end

local function request(command, arguments, done)
  send({ type = 'request', command = command, arguments = arguments or vim.empty_dict() }, function(message)
    if not message.success then
      table.insert(s.output, ('%s: %s'):format(command, vim.inspect(message.body or message.message)))
      s.failed = s.failed or command
    end
    if done then
      done(message.body or {}, message.success)
    end
  end)
end

-- Where each goroutine is, and what the variables of the first scope are.
local function look(thread)
  request('stackTrace', { threadId = thread.id }, function(body)
    local frames = body.stackFrames or {}
    for _, f in ipairs(frames) do
      table.insert(s.stacks, { thread = thread.name, name = f.name, line = f.line, id = f.id, path = f.source and f.source.path or '' })
    end
    s.unread = s.unread - 1
  end)
end

local events = {}

function events.initialized()
  -- nvim-dap sets breakpoints here, if there are any.
  if s.capabilities.supportsConfigurationDoneRequest then
    request('configurationDone')
  end
end

function events.stopped(body)
  s.stop, s.stacks = body, {}
  table.insert(s.output, ('%s %s %s'):format(body.reason or '', body.description or '', body.text or ''))
  request('threads', nil, function(answer)
    s.unread = #(answer.threads or {})
    for _, thread in ipairs(answer.threads or {}) do
      look(thread)
    end
  end)
end

function events.output(body)
  table.insert(s.output, body.output)
end

function events.terminated()
  s.ended = true
  request('disconnect')
end

local function receive(message)
  if message.type == 'response' then
    local done = s.waiting[message.request_seq]
    s.waiting[message.request_seq] = nil
    if done then
      done(message)
    end
  elseif message.type == 'event' and events[message.event] then
    events[message.event](message.body or {})
  end
end

local function read(_, data)
  s.buffer = s.buffer .. table.concat(data, '\n')
  while true do
    local from, to = s.buffer:find('\r\n\r\n', 1, true)
    local length = from and tonumber(s.buffer:sub(1, from):match('Content%-Length: (%d+)'))
    if not length or #s.buffer < to + length then
      return
    end
    local body = s.buffer:sub(to + 1, to + length)
    s.buffer = s.buffer:sub(to + length + 1)
    receive(vim.fn.json_decode(body))
  end
end

local function start(adapter, configuration)
  assert(adapter.type == 'executable', 'adapter of type ' .. tostring(adapter.type))
  local options = adapter.options or {}
  s = { seq = 0, waiting = {}, buffer = '', output = {}, stacks = {}, capabilities = {}, unread = 0 }
  local cmd = vim.list_extend({ adapter.command }, adapter.args or {})
  s.job = vim.fn.jobstart(cmd, {
    cwd = options.cwd,
    env = options.env and next(options.env) and options.env or nil,
    on_stdout = read,
    on_stderr = function(_, data)
      table.insert(s.output, table.concat(data, '\n'))
    end,
    on_exit = function()
      s.gone = true
    end,
  })
  assert(s.job > 0, 'the adapter can not be run: ' .. vim.inspect(cmd))
  request('initialize', {
    clientId = 'neovim', clientname = 'neovim', adapterID = configuration.type, pathFormat = 'path',
    columnsStartAt1 = true, linesStartAt1 = true, supportsRunInTerminalRequest = true,
    supportsVariableType = true, supportsProgressReporting = true, locale = 'en_US.UTF-8',
  }, function(capabilities)
    s.capabilities = capabilities
    request(configuration.request, configuration)
  end)
end

-- run starts a session, as nvim-dap's.
function M.run(configuration)
  local adapter = M.adapters[configuration.type]
  assert(adapter, 'no adapter ' .. tostring(configuration.type))
  if type(adapter) == 'function' then
    return adapter(function(resolved)
      start(resolved, configuration)
    end, configuration)
  end
  start(adapter, configuration)
end

function M.continue()
  local stop = s.stop
  s.stop = nil
  request('continue', { threadId = stop.threadId or 0 })
end

-- stopped tells whether all goroutines stand and where they are is known.
function M.stopped()
  return s ~= nil and s.stop ~= nil and #s.stacks > 0 and s.unread == 0
end

function M.ended()
  return s.ended == true
end

function M.gone()
  return s.gone == true
end

function M.output()
  return table.concat(s.output, '\n')
end

function M.stacks()
  return s.stacks
end

-- lines returns the lines of a file at which goroutines are: of each goroutine
-- the innermost frame there.
function M.lines(file)
  local seen, found = {}, {}
  for _, f in ipairs(s.stacks) do
    if not seen[f.thread] and f.path:sub(-#file) == file then
      seen[f.thread] = true
      table.insert(found, f.line)
    end
  end
  table.sort(found)
  return found
end

-- variable returns the value of a variable in the first frame of a file.
function M.variable(file, name)
  for _, f in ipairs(s.stacks) do
    if f.path:sub(-#file) == file then
      local value, done
      request('scopes', { frameId = f.id }, function(scopes)
        request('variables', { variablesReference = (scopes.scopes or {})[1] and scopes.scopes[1].variablesReference or 0 }, function(body)
          for _, v in ipairs(body.variables or {}) do
            value = v.name == name and v.value or value
          end
          done = true
        end)
      end)
      vim.wait(30000, function()
        return done
      end, 20)
      return value
    end
  end
end

return M
