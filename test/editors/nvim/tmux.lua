-- What a person sees and types: Neovim in a terminal of tmux.
local H = require('harness')
local check = H.check

local T = { prompted = false } -- whether "Press ENTER" was ever in the way
local socket = 'hocket-' .. vim.fn.getpid()
local columns

local function tmux(...)
  return vim.fn.system({ 'tmux', '-u', '-L', socket, '-f', '/dev/null', ... })
end

-- start opens a file of a folder in a terminal of a size.
function T.start(dir, file, width, height)
  columns = width
  local init = os.getenv('EDITORS_ROOT') .. '/test/editors/nvim/init.lua'
  tmux('new-session', '-d', '-s', 'main', '-x', tostring(width), '-y', tostring(height), '-c', dir,
    'env', 'TERM=tmux-256color', 'LC_ALL=C.UTF-8', 'EDITORS_TERMINAL=1', 'GOPLS=', vim.v.progpath, '-u', init, '-i', 'NONE', '-n', file)
  tmux('set-option', '-g', 'status', 'off')
  tmux('set-option', '-sa', 'terminal-features', ',*:RGB:usstyle')
  tmux('set-option', '-s', 'escape-time', '0')
end

function T.screen()
  local text = tmux('capture-pane', '-p', '-t', 'main')
  if text:find('Press ENTER', 1, true) then
    T.prompted = true
    tmux('send-keys', '-t', 'main', 'Enter')
  end
  return text
end

function T.keys(...)
  for _, k in ipairs({ ... }) do
    tmux('send-keys', '-t', 'main', k)
  end
end

function T.see(what, text, ms)
  local ok = H.until_true(function()
    return T.screen():find(text, 1, true) ~= nil
  end, ms)
  return check(what, ok, not ok and T.screen())
end

function T.last_line()
  local lines = vim.split(T.screen(), '\n', { trimempty = true })
  return lines[#lines] or ''
end

-- shot keeps the screen in docs/images, where HOCKET_SHOTS asks for it.
function T.shot(name)
  if os.getenv('HOCKET_SHOTS') then
    local lines = vim.split(tmux('capture-pane', '-e', '-p', '-t', 'main'), '\n', { trimempty = true })
    vim.fn.writefile(vim.split(require('svg').draw(lines, columns), '\n'), os.getenv('EDITORS_ROOT') .. '/docs/images/' .. name)
  end
end

-- quit ends the editor as a person does.
function T.quit()
  T.keys('Escape', ':qa!', 'Enter')
  check('quits', H.until_true(function() return tmux('has-session', '-t', 'main') ~= '' end))
end

-- main runs a scenario; the terminal ends with it.
function T.main(scenario)
  H.main(function()
    local ok, err = xpcall(scenario, debug.traceback)
    tmux('kill-server')
    assert(ok, err)
  end)
end

return T
