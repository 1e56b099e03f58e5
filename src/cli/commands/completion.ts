import { ConfigError, readFlags } from "../../config/config.ts";
import { type Command, describeFlags } from "../command.ts";
import { commands } from "../commands.ts";
import { completionScript, type Shell, shells } from "../completion-script.ts";

const flags = {
  shell: {
    flag: "shell",
    form: "word",
    choices: shells,
    takes: shells.join(", "),
    about: `Which shell: ${shells.join(", ")}.`,
    parse: parseShell,
  },
} as const;

export const completion: Command = {
  flags,
  help: `The script knows every command, every option, and the values of those that take one of a few; it asks nobody when it is
used. After an upgrade, make it anew. For zsh, the folder has to be in fpath before compinit is called.

Options:
${describeFlags(flags)}
Examples:
  source <(roster completion bash)
  roster completion bash > ~/.local/share/bash-completion/completions/roster
  roster completion zsh > "\${fpath[1]}/_roster"
  roster completion fish > ~/.config/fish/completions/roster.fish
`,

  async run(args, { env, stdout }) {
    if (args.length === 0) {
      throw new ConfigError(`Say for which shell: ${shells.join(", ")}. See roster completion --help.`);
    }
    const { shell } = readFlags(flags, args, env, "roster completion --help");
    stdout.write(await completionScript(shell, commands));
  },
};

function parseShell(text: string): Shell {
  const shell = shells.find((each) => each === text);
  if (!shell) throw new RangeError(text);
  return shell;
}
