import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { commandOf, linkCheckout } from './link-checkout.ts'

/** One command of a block as bash read it, with all that it printed. A failure that a loop or `||` expects is none. */
export interface Typed {
  command: string
  output: string
  code: number
}

/** Commands that read a line from standard input. */
const readsLine = /^read |--patient -( |$)/

/** `npm run pawl` without npm, which takes longer to start than most commands take. */
const npm = `case "$1 $2" in 'run pawl') ;; *) PATH=\${PATH#*:} exec npm "$@" ;; esac
shift 2
[ "$1" = -- ] && shift
exec ${commandOf('src/cli/pawl.ts')} "$@"`

/** A bash in a folder of its own, where the commands of a page are typed as the page shows them. */
export interface PageShell {
  /** Types a block, and `input` wherever a command reads a line; `before` each command the world may turn. Rejects with what `before` throws. */
  type(
    block: string,
    typing?: { env?: Record<string, string>; input?: string; before?: (command: string) => unknown },
  ): Promise<Typed[]>
}

// Bash tells of each command on standard output, between control characters that no command prints, and waits until the world has turned.
const preamble = `exec 9>&1 2>&1
next_command() {
  printf '\\036%s\\037' "$1" >&9
  exec 8<>"/dev/tcp/127.0.0.1/$TYPIST_PORT"
  printf '%s\\0' "$1" >&8
  read -r _ <&8
  exec 8>&-
}
trap 'printf "\\035%s\\035" "$?" >&9' ERR
trap 'next_command "$BASH_COMMAND"' DEBUG
`

/** Makes a shell in `folder`, in which `pawl` and `npm run pawl` are those of these sources; `programs` are scripts that stand for others, by name. */
export async function createPageShell(folder: string, programs: Readonly<Record<string, string>>): Promise<PageShell> {
  await linkCheckout(folder)
  await mkdir(join(folder, 'bin'))
  const pawl = `exec ${commandOf('src/cli/pawl.ts')} "$@"`
  for (const [name, script] of Object.entries({ pawl, npm, ...programs })) {
    await writeFile(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`)
    await chmod(join(folder, 'bin', name), 0o755)
  }
  return {
    async type(block, { env = {}, input = '', before = () => {} } = {}) {
      let thrown: Error | undefined
      const typist = createServer({ allowHalfOpen: true }, (socket) => {
        let command = ''
        socket.setEncoding('utf8').on('data', (chunk: string) => {
          command += chunk
          if (!command.endsWith('\0')) return
          void turn(command.slice(0, -1)).then(() => socket.end('\n'))
        })
      })
      async function turn(command: string): Promise<void> {
        try {
          if (thrown === undefined) await before(command)
          if (readsLine.test(command)) child.stdin.write(`${input}\n`)
        } catch (error) {
          thrown = error instanceof Error ? error : new Error(String(error))
          child.kill()
        }
      }
      typist.listen(0, '127.0.0.1')
      await once(typist, 'listening')
      const child = spawn('bash', ['-O', 'expand_aliases', '-c', preamble + block], {
        cwd: folder,
        env: {
          PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
          HOME: folder,
          NO_COLOR: '1',
          npm_config_update_notifier: 'false',
          // A server that listens on TCP has such an address.
          TYPIST_PORT: String((typist.address() as { port: number }).port),
          ...env,
        },
        stdio: ['pipe', 'pipe', 'inherit'],
      })
      let printed = ''
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
      // A block that reads nothing may have ended by now.
      child.stdin.on('error', () => {})
      await once(child, 'close')
      child.stdin.destroy()
      typist.close()
      if (thrown !== undefined) throw thrown
      return readTyped(printed)
    },
  }
}

function readTyped(printed: string): Typed[] {
  const typed: Typed[] = []
  for (const each of printed.split('\u001E').slice(1)) {
    const [command = '', told = ''] = each.split('\u001F', 2)
    const [output = '', code] = told.split('\u001D')
    const failed = typed.at(-1)
    // Before bash tells of a failure, it names the command that failed once more.
    if (code !== undefined && failed !== undefined) failed.code = Number(code)
    else typed.push({ command, output, code: 0 })
  }
  return typed
}
