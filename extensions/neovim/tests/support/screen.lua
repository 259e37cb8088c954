--- The screen of a Neovim, as its UI events draw it (:help ui-linegrid): one grid of cells.
local Screen = {}
Screen.__index = Screen

---@param width integer
---@param height integer
function Screen.new(width, height)
  return setmetatable({ width = width, height = height, rows = {}, groups = {}, names = {}, flushes = 0 }, Screen)
end

function Screen:blank(row)
  self.rows[row] = {}
  for column = 1, self.width do
    self.rows[row][column] = ' '
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
  local line = self.rows[row + 1]
  for _, cell in ipairs(cells) do
    for _ = 1, cell[3] or 1 do
      column = column + 1
      line[column] = cell[1]
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
      end
    end
  end
end

function events.mode_change(self, mode)
  self.mode = mode
end

function events.flush(self)
  self.flushes = self.flushes + 1
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
