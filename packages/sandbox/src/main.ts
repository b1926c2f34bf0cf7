import { readCommandLine } from './command-line.ts'

/** The shell command that started this: a checkout runs TypeScript, the package only JavaScript. */
const command = import.meta.url.includes('/node_modules/') ? 'npx pawl-sandbox' : 'npm run sandbox --'

// Main: exits 2 if the arguments are invalid. A command for a running sandbox does not load one.
const commandLine = readCommandLine(process.argv.slice(2), command)
if ('exitCode' in commandLine) process.exitCode = commandLine.exitCode
else if ('subcommand' in commandLine) await (await import('./commands/run-subcommand.ts')).runSubcommand(commandLine)
else await (await import('./run-sandbox.ts')).runSandbox(commandLine, command)
