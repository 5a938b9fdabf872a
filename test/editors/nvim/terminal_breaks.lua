-- A concurrent breakpoint as a person sees and types it, in a terminal. With
-- HOCKET_SHOTS set, the last screen is kept in docs/images.
package.path = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h') .. '/?.lua;' .. package.path
local H = require('harness')
local T = require('tmux')
local see, keys = T.see, T.keys
local check = H.check

local long = 300000 -- a build, and 100 runs, on a busy machine

T.main(function()
  local dir = H.copy()
  T.start(dir, 'session/session.go', 116, 34)
  see('the file is there', 'func (s *Session) Leave')
  see('the server runs', 'hocket') -- by the statusline
  keys('/s.user = nil', 'Enter', ':Hocket break', 'Enter')
  see('the places that conflict are offered', 'session.go:27', long)
  keys('1', 'Enter')
  see('the first to go has a filled sign', '❶')
  see('the other a ring', '②')
  keys(':Hocket break-run', 'Enter')
  see('the outcome is after the line', 'hit 100/100, failed', long)
  keys('/Hello, ', 'Enter', ':nohlsearch', 'Enter')
  -- The first outcome that was seen may have been the message of the run.
  check('at both ends', H.until_true(function() return select(2, T.screen():gsub('hit 100/100, failed', '')) >= 2 end), T.screen())
  T.shot('neovim-breakpoints.svg')
  keys(':Hocket hover', 'Enter')
  see('the hover explains it', 'goes on first')
  check('its markup is hidden', H.until_true(function() return not T.screen():find('**', 1, true) end), T.screen())
  check('nothing asked for Enter', not T.prompted)
  T.quit()
end)
