-- What a person sees and types: Neovim in a terminal of tmux. With HOCKET_SHOTS
-- set, the last screen is kept in docs/images.
package.path = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/?.lua;' .. package.path
local H = require('harness')
local check = H.check

local columns, rows = 108, 44
local socket = 'hocket-' .. vim.fn.getpid()

local function tmux(...)
  return vim.fn.system({ 'tmux', '-u', '-L', socket, '-f', '/dev/null', ... })
end

local prompted = false

local function screen()
  local text = tmux('capture-pane', '-p', '-t', 'main')
  if text:find('Press ENTER', 1, true) then
    prompted = true
    tmux('send-keys', '-t', 'main', 'Enter')
  end
  return text
end

local function keys(...)
  for _, k in ipairs({ ... }) do
    tmux('send-keys', '-t', 'main', k)
  end
end

local function see(what, text, ms)
  local ok = H.until_true(function()
    return screen():find(text, 1, true) ~= nil
  end, ms)
  return check(what, ok, not ok and screen())
end

local function last_line()
  local lines = vim.split(screen(), '\n', { trimempty = true })
  return lines[#lines] or ''
end

local function scenario()
  local dir = H.copy()
  local init = os.getenv('EDITORS_ROOT') .. '/test/editors/nvim/init.lua'
  tmux('new-session', '-d', '-s', 'main', '-x', tostring(columns), '-y', tostring(rows), '-c', dir,
    'env', 'TERM=tmux-256color', 'EDITORS_TERMINAL=1', 'GOPLS=', vim.v.progpath, '-u', init, '-i', 'NONE', '-n', 'pool_test.go')
  tmux('set-option', '-g', 'status', 'off')
  tmux('set-option', '-sa', 'terminal-features', ',*:RGB:usstyle')
  tmux('set-option', '-s', 'escape-time', '0')

  see('lenses are drawn', 'find failing schedule')
  keys('/func TestGet', 'Enter', ':Hocket find', 'Enter')
  see('the lens says that it is searched', 'searching… (cancel)')
  local progress
  H.until_true(function()
    progress = last_line()
    return progress:find('hocket: find TestGet', 1, true) ~= nil
  end, 120000)
  check('progress is in the message line', progress:find('hocket: find TestGet', 1, true) ~= nil, progress)
  see('lenses for the finding', 'replay 100/100', 240000)
  check('the outcome is in the message line', H.until_true(function() return last_line():find('hocket: TestGet: panic', 1, true) ~= nil end, 240000), last_line())

  keys(':below split pool.go | 1wincmd w | resize 10', 'Enter', '/func TestGet', 'Enter', 'zt', 'C-y', 'C-y', ':2wincmd w', 'Enter')
  keys('/func (p \\*Pool) take', 'Enter', 'zt', 'C-y')
  see('the diagnostic is drawn', '■ TestGet', 30000)
  keys('/last := len', 'Enter', 'w', 'w', ':Hocket hover', 'Enter')
  see('the hover with the table', 'goroutine')
  -- Neovim highlights a moment later.
  check('its markup is hidden', H.until_true(function() return not screen():find('**', 1, true) end, 10000), screen())
  check('nothing asked for Enter', not prompted)
  local shots = os.getenv('HOCKET_SHOTS') and os.getenv('EDITORS_ROOT') .. '/docs/images'
  if shots then
    local lines = vim.split(tmux('capture-pane', '-e', '-p', '-t', 'main'), '\n', { trimempty = true })
    vim.fn.writefile(vim.split(require('svg').draw(lines, columns), '\n'), shots .. '/neovim.svg')
  end
  keys('Escape', ':qa!', 'Enter')
  check('quits', H.until_true(function() return tmux('has-session', '-t', 'main') ~= '' end, 10000))
end

H.main(function()
  local ok, err = xpcall(scenario, debug.traceback)
  tmux('kill-server')
  assert(ok, err)
end)
