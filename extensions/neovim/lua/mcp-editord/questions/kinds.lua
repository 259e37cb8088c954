--- Says what each answer to a question of the daemon means, by the kind of the question. The daemon wrote the question
--- itself.
local M = {}

---@class mcp-editord.Words
---@field about? string what the decision is about, where the title does not say it
---@field allow string
---@field deny string
---@field later string
---@field look string
---@field allowed? string said of a server once the person has allowed it; nil: nothing is said
---@field denied? string

---@param question mcp-editord.ApproveParams
---@return mcp-editord.Words
function M.words(question)
  if question.kind == 'tools' then
    return {
      about = 'Until you allow it, no agent gets these tools as they are now.',
      allow = 'until they change again',
      deny = 'agents do not get them',
      later = 'agents do not get them yet',
      look = 'at the changes',
      allowed = 'agents get the changed tools of "%s"',
      denied = 'agents do not get the changed tools of "%s"',
    }
  elseif question.kind == 'call' then
    return {
      about = 'An agent waits. Your decision is about this call only; Later refuses it too.',
      allow = 'this call only',
      deny = 'the call fails',
      later = 'the call fails; the agent may ask again',
      look = 'at the whole call',
    }
  end
  return {
    allow = 'until its definition changes',
    deny = 'you are not asked again',
    later = 'you are asked again',
    look = question.text.before and 'at the changes' or 'at the whole definition',
    allowed = '"%s" may run',
    denied = '"%s" may not run',
  }
end

--- Whether a question is about a server that may run or not.
---@param question mcp-editord.ApproveParams
---@return boolean
function M.runs(question)
  return question.kind == 'server' or question.kind == 'folder'
end

return M
