// A language model for the tests. It repeats what it is asked, or calls the first tool on offer.
const vscode = require('vscode');

exports.activate = (context) => {
  const about = {
    family: 'parrot',
    version: '1',
    maxInputTokens: 10_000,
    maxOutputTokens: 10_000,
    capabilities: { toolCalling: true },
  };
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider('mcp-editord-test', {
      provideLanguageModelChatInformation: () => [
        { id: 'parrot-small', name: 'Parrot Small', ...about },
        { id: 'parrot-large', name: 'Parrot Large', ...about },
      ],
      provideLanguageModelChatResponse: async (model, messages, options, progress) => {
        const [tool] = options.tools ?? [];
        if (tool) {
          progress.report(new vscode.LanguageModelToolCallPart('call-1', tool.name, { city: 'Bern' }));
          return;
        }
        const text = messages
          .flatMap((m) => m.content.flatMap((c) => (c instanceof vscode.LanguageModelTextPart ? [c.value] : [])))
          .join(' | ');
        progress.report(new vscode.LanguageModelTextPart(`${model.id} repeats: `));
        progress.report(new vscode.LanguageModelTextPart(text));
      },
      provideTokenCount: async () => 1,
    }),
  );
};
