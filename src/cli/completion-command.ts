import { Argument, type Command } from 'commander'
import { type Print, printText } from './output.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

const help = `
Prints a script that completes commands, options and their choices:
  bash  pawl completion bash > ~/.local/share/bash-completion/completions/pawl
  zsh   pawl completion zsh > a file _pawl in a folder of $fpath
  fish  pawl completion fish > ~/.config/fish/completions/pawl.fish

Exits with 0; 2 for an unknown shell.`

/** Adds `completion`, for the commands added to the program before it. */
export function addCompletionCommand(program: Command, { print }: { print: Print }): void {
  program
    .command('completion')
    .description('print a script that completes pawl on the command line')
    .addArgument(new Argument('<shell>', 'which').choices(shells))
    .addHelpText('after', help)
    .action((shell: Shell) => printText(print, write[shell](wordsOf(program, []))))
}

/** Words that may follow a path of commands. */
interface Completions {
  path: string[]
  words: string[]
}

/** Every command, deepest last, with its completions. */
function wordsOf(command: Command, path: string[]): Completions[] {
  const options = command.options.flatMap((option) => [option.long ?? '', ...(option.argChoices ?? [])])
  const choices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? [])
  const names = command.commands.flatMap((each) => [each.name(), ...each.aliases()])
  const words = [...names, ...choices, ...options.filter((word) => word !== ''), '--help']
  const inner = command.commands.flatMap((each) =>
    [each.name(), ...each.aliases()].flatMap((name) => wordsOf(each, [...path, name])),
  )
  return [{ path, words: [...new Set(words)] }, ...inner]
}

const write: Record<Shell, (completions: readonly Completions[]) => string> = {
  bash: (completions) => `_pawl() {
  local path= word words=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do [[ $word == -* ]] || path="$path $word"; done
  while :; do
    case "$path" in
${casesOf(completions)}
    esac
    [[ -n $words || -z $path ]] && break
    path="\${path% *}"
  done
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _pawl pawl`,
  zsh: (completions) => `#compdef pawl
_pawl() {
  local key= word words_found=
  for word in "\${words[@]:1:$((CURRENT - 2))}"; do [[ $word == -* ]] || key="$key $word"; done
  while :; do
    case "$key" in
${casesOf(completions).replaceAll(' words=', ' words_found=')}
    esac
    [[ -n $words_found || -z $key ]] && break
    key="\${key% *}"
  done
  compadd -- \${=words_found}
}
compdef _pawl pawl`,
  fish: (completions) =>
    completions
      .map(({ path, words }) => {
        const isHere =
          path.length === 0
            ? '__fish_use_subcommand'
            : path.map((name) => `__fish_seen_subcommand_from ${name}`).join('; and ')
        return `complete -c pawl -n '${isHere}' -a '${words.join(' ')}'`
      })
      .join('\n'),
}

function casesOf(completions: readonly Completions[]): string {
  return completions
    .map(({ path, words }) => `      "${path.map((name) => ` ${name}`).join('')}") words="${words.join(' ')}" ;;`)
    .join('\n')
}
