import { setTimeout as sleep } from 'node:timers/promises'

const everyMs = 100
const maxTries = 300

/** Retries for half a minute while a worker holds the resource; resolves with the last result. */
export async function whileInWork<T>(act: () => Promise<T | 'in_work'>): Promise<T | 'in_work'> {
  for (let triesLeft = maxTries; ; triesLeft -= 1) {
    const answer = await act()
    if (answer !== 'in_work' || triesLeft === 0) return answer
    await sleep(everyMs)
  }
}

/** Message of the final refusal. */
export const inWork = 'The resource has been in work for more than half a minute: try again.'
