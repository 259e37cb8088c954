--- The screen of a Neovim, as its UI events draw it (:help ui-linegrid): one grid of cells, with their texts and the ids
--- of their attributes.
local Screen = {}
Screen.__index = Screen

---@param width integer
---@param height integer
function Screen.new(width, height)
  return setmetatable({ width = width, height = height, rows = {}, styles = {}, attributes = {}, colors = {} }, Screen)
end

function Screen:blank(row)
  self.rows[row], self.styles[row] = {}, {}
  for column = 1, self.width do
    self.rows[row][column], self.styles[row][column] = ' ', 0
  end
end

local events = {}

function events.grid_resize(self, _, width, height)
  self.width, self.height = width, height
  for row = 1, height do
    self:blank(row)
  end
end

function events.grid_clear(self)
  for row = 1, self.height do
    self:blank(row)
  end
end

function events.grid_line(self, _, row, column, cells)
  local line, styles, style = self.rows[row + 1], self.styles[row + 1], 0
  for _, cell in ipairs(cells) do
    style = cell[2] or style
    for _ = 1, cell[3] or 1 do
      column = column + 1
      line[column], styles[column] = cell[1], style
    end
  end
end

function events.grid_scroll(self, _, top, bottom, left, right, rows)
  local first, last, step = top + 1, bottom, 1
  if rows < 0 then
    first, last, step = bottom, top + 1, -1
  end
  for row = first, last, step do
    local from = self.rows[row + rows]
    if from and row + rows > top and row + rows <= bottom then
      for column = left + 1, right do
        self.rows[row][column] = from[column]
        self.styles[row][column] = self.styles[row + rows][column]
      end
    end
  end
end

function events.hl_attr_define(self, id, attributes)
  self.attributes[id] = attributes
end

function events.default_colors_set(self, foreground, background)
  self.colors = { foreground = foreground, background = background }
end

--- Takes a "redraw" notification.
---@param batches any[]
function Screen:redraw(batches)
  for _, batch in ipairs(batches) do
    local handle = events[batch[1]]
    for i = 2, #batch do
      if handle then
        handle(self, unpack(batch[i]))
      end
    end
  end
end

--- The screen as lines, without the white space at their ends.
---@return string
function Screen:text()
  local lines = {}
  for row = 1, self.height do
    lines[row] = table.concat(self.rows[row] or {}):gsub('%s+$', '')
  end
  return table.concat(lines, '\n')
end

return Screen
