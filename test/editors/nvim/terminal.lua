-- What a person sees and types: Neovim in a terminal of tmux. With HOCKET_SHOTS
-- set, the last screen is kept in docs/images.
package.path = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/?.lua;' .. package.path
local H = require('harness')
local check = H.check

local T = require('tmux')
local see, keys = T.see, T.keys

local function scenario()
  local dir = H.copy()
  T.start(dir, 'pool_test.go', 108, 44)
  see('lenses are drawn', 'find failing schedule')
  keys('/func TestGet', 'Enter', ':Hocket find', 'Enter')
  see('the lens says that it is searched', 'searching… (cancel)')
  local progress
  H.until_true(function()
    progress = T.last_line()
    return progress:find('hocket: find TestGet', 1, true) ~= nil
  end, 120000)
  check('progress is in the message line', progress:find('hocket: find TestGet', 1, true) ~= nil, progress)
  see('a lens for the finding', '1 finding: ', 240000)
  check('the outcome is in the message line', H.until_true(function() return T.last_line():find('hocket: TestGet: panic', 1, true) ~= nil end, 240000), T.last_line())

  keys(':below split pool.go | 1wincmd w | resize 10', 'Enter', '/func TestGet', 'Enter', 'zt', 'C-y', 'C-y', ':2wincmd w', 'Enter')
  keys('/func (p \\*Pool) take', 'Enter', 'zt', 'C-y')
  see('the diagnostic is drawn', '■ TestGet', 30000)
  keys('/last := len', 'Enter', 'w', 'w', ':Hocket hover', 'Enter')
  see('the hover with the table', 'goroutine')
  -- Neovim highlights a moment later.
  check('its markup is hidden', H.until_true(function() return not T.screen():find('**', 1, true) end), T.screen())
  check('nothing asked for Enter', not T.prompted)
  T.shot('neovim.svg')
  T.quit()
end

T.main(scenario)
