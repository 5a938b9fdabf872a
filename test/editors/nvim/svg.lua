-- A terminal's screen, with its escape sequences, as an SVG picture.
local M = {}

local cell_w, cell_h, size, margin = 8.43, 19, 14, 12
local fg, bg = '#e0e2ea', '#14161b' -- of Neovim's default colours

local basic = { [0] = '#07080d', '#ffc0b9', '#b3f6c0', '#fce094', '#a6dbff', '#ffcaff', '#8cf8f7', '#eef1f8',
  '#4f5258', '#ffc0b9', '#b3f6c0', '#fce094', '#a6dbff', '#ffcaff', '#8cf8f7', '#eef1f8' }

local function indexed(n)
  if n < 16 then
    return basic[n]
  elseif n >= 232 then
    local v = 8 + (n - 232) * 10
    return ('#%02x%02x%02x'):format(v, v, v)
  end
  n = n - 16
  local function level(v)
    return v == 0 and 0 or 55 + v * 40
  end
  return ('#%02x%02x%02x'):format(level(math.floor(n / 36)), level(math.floor(n / 6) % 6), level(n % 6))
end

-- colour reads what follows 38, 48 or 58, and returns how many numbers that was.
local function colour(codes, i)
  if codes[i] == 5 then
    return indexed(codes[i + 1]), 2
  elseif codes[i] == 2 then
    return ('#%02x%02x%02x'):format(codes[i + 1], codes[i + 2], codes[i + 3]), 4
  end
  return nil, 0
end

-- apply changes the attributes by one "Select Graphic Rendition" sequence.
local function apply(attr, parameters)
  -- 4:3 is a wavy underline; other colons separate parts of colours.
  local wavy = parameters:find('4:3', 1, true) ~= nil
  parameters = parameters:gsub('4:[1-5]', '4'):gsub('([345]8):2::', '%1:2:'):gsub(':', ';')
  local codes = {}
  for n in (parameters == '' and '0' or parameters):gmatch('%d+') do
    table.insert(codes, tonumber(n))
  end
  local i = 1
  while i <= #codes do
    local c, used = codes[i], 0
    if c == 0 then
      for k in pairs(attr) do
        attr[k] = nil
      end
    elseif c == 1 then attr.bold = true
    elseif c == 3 then attr.italic = true
    elseif c == 4 then attr.underline = wavy and 'wavy' or 'line'
    elseif c == 7 then attr.reverse = true
    elseif c == 22 then attr.bold = nil
    elseif c == 23 then attr.italic = nil
    elseif c == 24 then attr.underline = nil
    elseif c == 27 then attr.reverse = nil
    elseif c >= 30 and c <= 37 then attr.fg = basic[c - 30]
    elseif c == 38 then attr.fg, used = colour(codes, i + 1)
    elseif c == 39 then attr.fg = nil
    elseif c >= 40 and c <= 47 then attr.bg = basic[c - 40]
    elseif c == 48 then attr.bg, used = colour(codes, i + 1)
    elseif c == 49 then attr.bg = nil
    elseif c == 58 then attr.line, used = colour(codes, i + 1)
    elseif c == 59 then attr.line = nil
    elseif c >= 90 and c <= 97 then attr.fg = basic[c - 82]
    elseif c >= 100 and c <= 107 then attr.bg = basic[c - 92]
    end
    i = i + 1 + used
  end
end

-- cells returns the characters of a line: { text, width, attributes }.
local function cells(line, attr)
  local out = {}
  while line ~= '' do
    local parameters, rest = line:match('^\27%[([%d;:]*)m(.*)$')
    if parameters then
      apply(attr, parameters)
      line = rest
    elseif line:match('^\27') then
      line = line:gsub('^\27[%(%)]?.', '')
    else
      local ch = line:match('^[%z\1-\127\194-\244][\128-\191]*') or line:sub(1, 1)
      table.insert(out, { ch, vim.fn.strdisplaywidth(ch), vim.deepcopy(attr) })
      line = line:sub(#ch + 1)
    end
  end
  return out
end

-- Box characters as strokes from the middle of a cell, as fonts leave gaps.
local strokes = {
  ['─'] = 'lr', ['│'] = 'ud', ['╭'] = 'rd', ['╮'] = 'ld', ['╰'] = 'ru', ['╯'] = 'lu', ['┌'] = 'rd', ['┐'] = 'ld',
  ['└'] = 'ru', ['┘'] = 'lu', ['├'] = 'udr', ['┤'] = 'udl', ['┬'] = 'lrd', ['┴'] = 'lru', ['┼'] = 'lrud',
}

local function escape(text)
  return (text:gsub('[&<>]', { ['&'] = '&amp;', ['<'] = '&lt;', ['>'] = '&gt;' }))
end

local function stroke(ch, x, y, c)
  local mx, my, d = x + cell_w / 2, y + cell_h / 2, ''
  for way in strokes[ch]:gmatch('.') do
    local tx = way == 'l' and x or way == 'r' and x + cell_w or mx
    local ty = way == 'u' and y or way == 'd' and y + cell_h or my
    d = d .. ('M%.1f %.1fL%.1f %.1f'):format(mx, my, tx, ty)
  end
  return ('<path d="%s" stroke="%s" fill="none"/>'):format(d, c)
end

local function underline(kind, x, y, w, c)
  y = y + cell_h - 2.5
  if kind == 'line' then
    return ('<path d="M%.1f %.1fh%.1f" stroke="%s"/>'):format(x, y, w, c)
  end
  local d = ('M%.1f %.1f'):format(x, y)
  for i = 1, math.floor(w / (cell_w / 2)) do
    d = d .. ('q%.1f %.1f %.1f 0'):format(cell_w / 4, i % 2 == 1 and -3 or 3, cell_w / 2)
  end
  return ('<path d="%s" stroke="%s" fill="none"/>'):format(d, c)
end

local function same(a, b)
  return a.fg == b.fg and a.bg == b.bg and a.bold == b.bold and a.italic == b.italic and a.underline == b.underline
    and a.line == b.line and a.reverse == b.reverse
end

-- run draws cells of equal attributes, the first in column col.
local function run(out, text, col, width, row, attr)
  local x, y, w = margin + col * cell_w, margin + row * cell_h, width * cell_w
  local front, back = attr.fg or fg, attr.bg
  if attr.reverse then
    front, back = attr.bg or bg, attr.fg or fg
  end
  if back then
    table.insert(out, ('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>'):format(x, y, w + 0.3, cell_h, back))
  end
  if strokes[text] then
    table.insert(out, stroke(text, x, y, front))
  else
    local style = (attr.bold and ' font-weight="bold"' or '') .. (attr.italic and ' font-style="italic"' or '')
    -- Several spaces count as one in SVG.
    local at = 1
    while true do
      local from, to = text:find('%S+', at)
      if not from then
        break
      end
      local more, last = text:find('^ %S+', to + 1)
      while more do
        to = last
        more, last = text:find('^ %S+', to + 1)
      end
      local body = text:sub(from, to)
      local before = vim.fn.strdisplaywidth(text:sub(1, from - 1))
      table.insert(out, ('<text x="%.1f" y="%.1f" textLength="%.1f" fill="%s"%s>%s</text>'):format(
        x + before * cell_w, y + cell_h - 5, vim.fn.strdisplaywidth(body) * cell_w, front, style, escape(body)))
      at = to + 1
    end
  end
  if attr.underline then
    table.insert(out, underline(attr.underline, x, y, w, attr.line or front))
  end
end

-- draw returns the picture of lines, columns wide.
function M.draw(lines, columns)
  local width, height = margin * 2 + columns * cell_w, margin * 2 + #lines * cell_h
  local out = {
    ('<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="%d">')
      :format(width, height, width, height, size),
    ('<rect width="100%%" height="100%%" rx="6" fill="%s"/>'):format(bg),
  }
  local attr = {}
  for row, line in ipairs(lines) do
    local col, text, from, wide, last = 0, '', 0, 0, nil
    local function flush()
      if last then
        run(out, text, from, wide, row - 1, last)
      end
      text, wide, last = '', 0, nil
    end
    for _, c in ipairs(cells(line, attr)) do
      if last and (not same(last, c[3]) or strokes[c[1]] or strokes[text]) then
        flush()
      end
      if not last then
        from, last = col, c[3]
      end
      text, wide, col = text .. c[1], wide + c[2], col + c[2]
    end
    flush()
  end
  table.insert(out, '</svg>')
  return table.concat(out, '\n') .. '\n'
end

return M
