-- What the server is doing: for the statusline, and on the message line where no
-- plugin shows progress. LspProgress (User LspProgressUpdate before 0.10) is
-- raised as for any server.
local compat = require('hocket.compat')
local options = require('hocket.config')
local say = require('hocket.say')

local M = {}

local jobs = {} -- list of { token, client, title, message, percentage }, oldest first
local shown = false -- whether the message line holds our text
local last = 0 -- when it was written, ms
local every = 200

-- current returns the oldest job that goes on, or nil.
function M.current()
  return jobs[1]
end

-- line returns a job as one line: "find TestX 12%: 360 schedules tried, ...".
function M.line(job)
  local text = job.title
  if job.percentage and job.percentage > 0 then
    text = ('%s %d%%'):format(text, job.percentage)
  end
  if job.message and job.message ~= '' then
    text = text .. ': ' .. job.message
  end
  if #jobs > 1 then
    text = ('%s (+%d waiting)'):format(text, #jobs - 1)
  end
  return text
end

-- Plugins that show the progress of all servers.
local function shown_elsewhere()
  return package.loaded.fidget or package.loaded.noice or package.loaded['lsp-progress']
end

local function echo(text)
  local mode = vim.api.nvim_get_mode()
  -- Not over a command line being typed, a prompt, or "-- INSERT --".
  if mode.blocking or not mode.mode:match('^n') then
    return
  end
  -- Two messages without a redraw in between would ask for Enter, too.
  vim.cmd('redraw')
  vim.api.nvim_echo({ { say.fit(text) } }, false, {})
  shown = text ~= ''
end

local function show()
  pcall(vim.cmd, 'redrawstatus')
  if not options.get().progress or shown_elsewhere() then
    return
  end
  local job = M.current()
  if job then
    local now = compat.uv.now()
    if now - last >= every then
      last = now
      echo('hocket: ' .. M.line(job))
    end
  elseif shown then
    echo('')
    shown = false
  end
end

local function find(token, client)
  for i, job in ipairs(jobs) do
    if job.token == token and job.client == client then
      return i, job
    end
  end
end

-- on_progress takes the parameters of a $/progress notification.
function M.on_progress(params, client)
  local value = params.value
  if type(value) ~= 'table' or not value.kind then
    return
  end
  local i, job = find(params.token, client)
  if value.kind == 'begin' and not job then
    job = { token = params.token, client = client, title = (value.title or 'job'):gsub('^hocket: ', '') }
    table.insert(jobs, job)
    last = 0
  elseif value.kind == 'end' and i then
    table.remove(jobs, i)
  end
  if job then
    job.message = value.message or job.message
    job.percentage = value.percentage or job.percentage
  end
  show()
end

-- forget drops the jobs of a server that has ended.
function M.forget(client)
  jobs = vim.tbl_filter(function(job)
    return job.client ~= client
  end, jobs)
  show()
end

return M
