import { readCommandLine } from './command-line.ts'

// Main: exits 2 if the arguments are invalid. A command for a running sandbox does not load one.
const commandLine = readCommandLine(process.argv.slice(2))
if ('exitCode' in commandLine) process.exitCode = commandLine.exitCode
else if ('errand' in commandLine) await (await import('./commands/run-errand.ts')).runErrand(commandLine)
else await (await import('./run-sandbox.ts')).runSandbox(commandLine, 'npm run sandbox --')
