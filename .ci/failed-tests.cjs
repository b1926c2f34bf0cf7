#!/usr/bin/env node
// Prints the files with a failed test, one a line, of a JSON report of vitest: .ci/failed-tests report.json
// On standard error it says which tests failed, and why.
const { readFileSync } = require('node:fs')

const { testResults } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
for (const { name, status, message, assertionResults } of testResults) {
  if (status === 'passed') continue
  process.stdout.write(`${name}\n`)
  const failed = assertionResults.filter((each) => each.status === 'failed')
  for (const { fullName, failureMessages } of failed)
    process.stderr.write(`${fullName}\n${failureMessages.join('\n')}\n`)
  if (failed.length === 0) process.stderr.write(`${name}\n${message}\n`)
}
