import { readCommandLine } from './command-line.ts'
import { runErrand } from './commands/run-errand.ts'
import { runSandbox } from './run-sandbox.ts'

// The process: exits 2 when the arguments are invalid.
const commandLine = readCommandLine(process.argv.slice(2))
if ('exitCode' in commandLine) process.exitCode = commandLine.exitCode
else if ('errand' in commandLine) await runErrand(commandLine)
else await runSandbox(commandLine, 'npm run sandbox --')
