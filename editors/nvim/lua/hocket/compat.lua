-- One spelling for what Neovim 0.7.2 to the newest spell differently.
local M = {}

M.uv = vim.uv or vim.loop

function M.has(version)
  return vim.fn.has('nvim-' .. version) == 1
end

-- Methods are called as client:request from 0.11 on, client.request before.
local colon = M.has('0.11')
local function call(client, method, ...)
  if colon then
    return client[method](client, ...)
  end
  return client[method](...)
end

-- request asks about one buffer. Neovim holds edits back for a moment; those of this
-- buffer are sent first. 0 would be no buffer.
function M.request(client, method, params, handler, bufnr)
  return call(client, 'request', method, params, handler, bufnr)
end

local function execution(command, arg)
  return 'workspace/executeCommand', { command = 'hocket.' .. command, arguments = { arg } }
end

-- execute has the server run a command, which is about the texts of all buffers:
-- without a buffer named, the edits of all are sent first.
function M.execute(client, command, arg, handler)
  local method, params = execution(command, arg)
  return call(client, 'request', method, params, handler)
end

-- request_sync and execute_sync wait for the answer, for some milliseconds at most.
function M.request_sync(client, method, params, timeout, bufnr)
  return call(client, 'request_sync', method, params, timeout, bufnr)
end

function M.execute_sync(client, command, arg, timeout)
  local method, params = execution(command, arg)
  return M.request_sync(client, method, params, timeout)
end

function M.notify(client, method, params)
  return call(client, 'notify', method, params)
end

function M.stop(client, force)
  return call(client, 'stop', force)
end

-- clients returns the running Hocket clients, of one buffer or of all.
function M.clients(bufnr)
  local all
  if vim.lsp.get_clients then
    all = vim.lsp.get_clients({ name = 'hocket' })
  else
    all = vim.lsp.get_active_clients()
  end
  return vim.tbl_filter(function(client)
    return client.name == 'hocket'
      and not (call(client, 'is_stopped'))
      and (bufnr == nil or vim.lsp.buf_is_attached(bufnr, client.id))
  end, all)
end

-- log_path returns where the servers' stderr goes.
function M.log_path()
  if vim.lsp.log and vim.lsp.log.get_filename then
    return vim.lsp.log.get_filename()
  end
  return vim.lsp.get_log_path()
end

-- after runs fn in ms milliseconds, unless the returned function is called.
function M.after(ms, fn)
  local timer = M.uv.new_timer()
  local function stop()
    if not timer:is_closing() then
      timer:stop()
      timer:close()
    end
  end
  timer:start(ms, 0, function()
    stop()
    vim.schedule(fn)
  end)
  return stop
end

-- keep_sync works around Neovim 0.7: an edit of a buffer without any server
-- makes it stop listening for edits permanently, so that a server started later
-- would not see them. An id that no client has keeps it listening.
function M.keep_sync(bufnr)
  if not M.has('0.8') and vim.api.nvim_buf_is_loaded(bufnr) then
    vim.lsp.buf_attach_client(bufnr, 0)
  end
end

return M
