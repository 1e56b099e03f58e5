import { ConfigError, readFlags } from "../../config/config.ts";
import type { Command, Commands } from "../command.ts";
import { completionScript, type Shell, shells } from "../completion-script.ts";

const flags = {
  shell: {
    flag: "shell",
    form: "word",
    choices: shells,
    takes: new Intl.ListFormat("en", { type: "disjunction" }).format(shells),
    about: `The shell: ${shells.join(", ")}.`,
    parse: parseShell,
  },
} as const;
/** `roster completion` for a table of commands. */
export function completionCommand(commands: Commands): Command {
  return {
    flags,
    description: `The script knows all commands, all options, and the values of options with a fixed set of values. It runs no program.
Generate it again after an upgrade. For zsh, the folder must be in fpath before you call compinit.`,
    examples: [
      "source <(roster completion bash)",
      "roster completion bash > ~/.local/share/bash-completion/completions/roster",
      `roster completion zsh > "\${fpath[1]}/_roster"`,
      "roster completion fish > ~/.config/fish/completions/roster.fish",
    ],

    async run(args, { env, stdout }) {
      if (args.length === 0) {
        throw new ConfigError(`Choose a shell: ${shells.join(", ")}. See roster completion --help.`);
      }
      const { shell } = readFlags(flags, args, env, "roster completion --help");
      stdout.write(await completionScript(shell, commands));
    },
  };
}

function parseShell(text: string): Shell {
  const shell = shells.find((name) => name === text);
  if (!shell) throw new RangeError(text);
  return shell;
}
