import { readCommandLine } from './command-line.ts'
import { runSandbox } from './run-sandbox.ts'

// The process: exits 2 when the arguments are invalid.
const commandLine = readCommandLine(process.argv.slice(2))
if ('exitCode' in commandLine) process.exitCode = commandLine.exitCode
else await runSandbox(commandLine)
