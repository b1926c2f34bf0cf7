import type { IncomingMessage } from 'node:http'
import { addressKey, type AddressRanges, plainAddress } from './address-ranges.ts'
import { isLoopbackAddress } from './public-address.ts'
import { readSender } from './sender-address.ts'

/** Max wrong passwords in a quarter of an hour: per address and name, per address, and per name. */
const maxWrong = { ofPair: 10, ofAddress: 30, forName: 100 }
const windowMs = 15 * 60_000
/** Max entries of each map; the oldest is dropped first. */
const maxEntries = 10_000

const thisMachine = 'this machine'

/** One login attempt with a password. */
export interface Guess {
  /** From `originOf`. */
  origin: string
  name: string
}

/** Limits guesses of passwords. Counts synchronously, so that concurrent guesses count before any is checked. */
export interface LoginLimits {
  /** Seconds until the next guess is checked; undefined: now. */
  waitFor(this: void, guess: Guess): number | undefined
  /** Counts one attempt. */
  take(this: void, guess: Guess): void
  /** Refunds the attempt after a correct password. */
  giveBack(this: void, guess: Guess): void
  /** Records a correct password. From then on, guesses from other origins do not limit this name at this origin. */
  trust(this: void, guess: Guess): void
}

export interface LoginLimitsDeps {
  /** Whether all names share one password: guesses for one name then count for all. */
  isShared: boolean
  /** Monotonic clock, in milliseconds. */
  elapsed?: () => number
}

/** Makes limits that count in this process only. */
export function createLoginLimits({ isShared, elapsed = () => performance.now() }: LoginLimitsDeps): LoginLimits {
  const ofPair = createCounter(maxWrong.ofPair, elapsed)
  const ofAddress = createCounter(maxWrong.ofAddress, elapsed)
  const forName = createCounter(maxWrong.forName, elapsed)
  /** Pairs of origin and name that have given a correct password. */
  const proven = new Set<string>()

  const pairOf = ({ origin, name }: Guess) => JSON.stringify([origin, name])
  const countersOf = (guess: Guess) => {
    const counters = [ofPair.of(pairOf(guess)), ofAddress.of(guess.origin)]
    // Guesses from other origins do not count here: else a stranger could lock out every user.
    const isExempt = guess.origin === thisMachine || proven.has(pairOf(guess))
    return isExempt ? counters : [...counters, forName.of(isShared ? '' : guess.name)]
  }

  return {
    waitFor(guess) {
      const waits = countersOf(guess).map((counter) => counter.waitMs())
      const longest = Math.max(...waits)
      return longest > 0 ? Math.ceil(longest / 1_000) : undefined
    },
    take(guess) {
      for (const counter of countersOf(guess)) counter.add(1)
    },
    giveBack(guess) {
      for (const counter of countersOf(guess)) counter.add(-1)
    },
    trust(guess) {
      remember(proven, pairOf(guess))
    },
  }
}

/** The origin of a client: an IPv4 address, or the first 64 bits of an IPv6 one. All clients behind an untrusted proxy share one origin, distinct from direct clients. */
export function originOf(address: string | undefined, isForwarded: boolean): string {
  if (address === undefined) return 'unknown'
  const plain = plainAddress(address)
  const key = isLoopbackAddress(plain) ? thisMachine : addressKey(plain)
  return isForwarded ? `behind ${key}` : key
}

/** Headers of a proxied request. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-host', 'x-forwarded-proto']

/** The origin of a request. */
export function readOrigin(req: IncomingMessage, trustedProxies: AddressRanges): string {
  const isForwarded = proxyHeaders.some((name) => req.headers[name] !== undefined)
  const sender = readSender(req, trustedProxies)
  // A trusted proxy names the client.
  return originOf(sender, isForwarded && sender === req.socket.remoteAddress)
}

/** Message of a limited login. */
export function sayWait(seconds: number): string {
  return `Too many wrong passwords: wait ${seconds} s, then try again.`
}

/** Adds a text, and drops the oldest ones beyond `maxEntries`. */
export function remember(known: Set<string>, text: string): void {
  known.delete(text)
  known.add(text)
  for (const oldest of known) {
    if (known.size <= maxEntries) break
    known.delete(oldest)
  }
}

/** Counts by key, in windows that begin with the first count. */
function createCounter(max: number, elapsed: () => number) {
  const counts = new Map<string, { count: number; endsAt: number }>()

  function current(key: string) {
    const found = counts.get(key)
    return found !== undefined && found.endsAt > elapsed() ? found : undefined
  }

  return {
    of: (key: string) => ({
      waitMs() {
        const found = current(key)
        return found !== undefined && found.count >= max ? found.endsAt - elapsed() : 0
      },
      add(by: number) {
        const found = current(key)
        if (found !== undefined) found.count = Math.max(0, found.count + by)
        else if (by > 0) {
          counts.delete(key)
          counts.set(key, { count: by, endsAt: elapsed() + windowMs })
        }
        for (const [oldest] of counts) {
          if (counts.size <= maxEntries) break
          counts.delete(oldest)
        }
      },
    }),
  }
}
