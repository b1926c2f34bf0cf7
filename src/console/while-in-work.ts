import { setTimeout as sleep } from 'node:timers/promises'

const everyMs = 100
const maxTries = 300

/** Asks again for half a minute while somebody works on the resource; resolves with the last answer. */
export async function whileInWork<T>(ask: () => Promise<T | 'in_work'>): Promise<T | 'in_work'> {
  for (let triesLeft = maxTries; ; triesLeft -= 1) {
    const answer = await ask()
    if (answer !== 'in_work' || triesLeft === 0) return answer
    await sleep(everyMs)
  }
}

/** The message of the refusal in the end. */
export const inWork = 'The resource is in work for longer than half a minute: try again.'
