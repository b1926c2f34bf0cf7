import { setTimeout as sleep } from 'node:timers/promises'
import { answerParent } from './answer-parent.ts'

/** Reads the pages of PAGES, a JSON array of addresses, in turn until it is stopped, one every EVERY_MS milliseconds; one that takes longer holds up the next. */
const { PAGES = '[]', EVERY_MS = '0' } = process.env
const pages = JSON.parse(PAGES) as readonly string[] // by the scenario
answerParent()
process.send?.({ port: 0 })
for (let read = 0; pages.length > 0; read += 1) {
  const pause = sleep(Number(EVERY_MS))
  const page = pages[read % pages.length] ?? ''
  const answer = await fetch(page)
  await answer.arrayBuffer()
  if (!answer.ok) throw new Error(`${page} was answered ${answer.status}.`)
  await pause
}
