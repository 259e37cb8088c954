// A language model for the tests, and an agent that uses it. The model repeats what it is asked; with tools
// on offer it calls one: that of `CALL name {…}` in the prompt, else the first.
const vscode = require('vscode');

/** The call that a prompt wants. */
function wanted(tools, text) {
  const [, name, input] = /CALL (\S+) (\{.*\})/.exec(text) ?? [];
  return name
    ? { tool: tools.find((tool) => tool.name.endsWith(name)), input: JSON.parse(input) }
    : { tool: tools[0], input: { city: 'Bern' } };
}

/** Does what agent mode does: gives a model all tools, and makes the call that it wants. */
async function ask() {
  const prompt = await vscode.window.showInputBox({ title: 'Ask the agent' });
  const [model] = await vscode.lm.selectChatModels({ id: 'parrot-small' });
  const { stream } = await model.sendRequest([vscode.LanguageModelChatMessage.User(prompt)], {
    tools: vscode.lm.tools,
  });
  for await (const part of stream) {
    if (part instanceof vscode.LanguageModelToolCallPart) {
      const { content } = await vscode.lm.invokeTool(part.name, { input: part.input, toolInvocationToken: undefined });
      vscode.window.showInformationMessage(`${part.name}: ${content.map((c) => c.value).join(' ')}`);
    }
  }
}

exports.activate = (context) => {
  const about = {
    family: 'parrot',
    version: '1',
    maxInputTokens: 10_000,
    maxOutputTokens: 10_000,
    capabilities: { toolCalling: true },
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('mcp-editord-test.ask', () =>
      ask().catch((error) => vscode.window.showErrorMessage(`the agent failed: ${error.message}`)),
    ),
    vscode.lm.registerLanguageModelChatProvider('mcp-editord-test', {
      provideLanguageModelChatInformation: () => [
        { id: 'parrot-small', name: 'Parrot Small', ...about },
        { id: 'parrot-large', name: 'Parrot Large', ...about },
      ],
      provideLanguageModelChatResponse: async (model, messages, options, progress) => {
        const text = messages
          .flatMap((m) => m.content.flatMap((c) => (c instanceof vscode.LanguageModelTextPart ? [c.value] : [])))
          .join(' | ');
        if (options.tools?.length) {
          const { tool, input } = wanted(options.tools, text);
          progress.report(new vscode.LanguageModelToolCallPart('call-1', tool.name, input));
          return;
        }
        progress.report(new vscode.LanguageModelTextPart(`${model.id} repeats: `));
        progress.report(new vscode.LanguageModelTextPart(text));
      },
      provideTokenCount: async () => 1,
    }),
  );
};
