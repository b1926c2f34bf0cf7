import type { IncomingMessage } from 'node:http'
import { addressKey, type AddressRanges, plainAddress } from '../../base/net/address-ranges.ts'
import { isLoopbackAddress } from '../../base/net/public-address.ts'
import { readSender } from '../../base/net/sender-address.ts'

/** Wrong passwords in a quarter of an hour: of one address for one name, of one address for all names, and for one name from everywhere. */
const maxWrong = { ofPair: 10, ofAddress: 30, forName: 100 }
const windowMs = 15 * 60_000
/** Entries of each memory; the oldest goes first. */
const maxEntries = 10_000

const thisMachine = 'this machine'

/** Who tries a password. */
export interface Guess {
  /** Where from, as `originOf` says. */
  origin: string
  name: string
}

/** Holds back who tries passwords. Counts without waiting, so that guesses sent at once are counted before any is looked at. */
export interface LoginLimits {
  /** After how many seconds the next guess is looked at; undefined: now. */
  waitFor(this: void, guess: Guess): number | undefined
  /** Takes one try. */
  take(this: void, guess: Guess): void
  /** Gives the try back, as the password was right. From then on guesses from elsewhere do not hold back this name here. */
  giveBack(this: void, guess: Guess): void
}

export interface LoginLimitsDeps {
  /** One password serves all names: guesses for one are guesses for all. */
  isShared: boolean
  /** Milliseconds since some moment. */
  elapsed?: () => number
}

/** Makes limits that count in this process alone. */
export function createLoginLimits({ isShared, elapsed = () => performance.now() }: LoginLimitsDeps): LoginLimits {
  const ofPair = createCounter(maxWrong.ofPair, elapsed)
  const ofAddress = createCounter(maxWrong.ofAddress, elapsed)
  const forName = createCounter(maxWrong.forName, elapsed)
  /** Origins and names that a right password came for. */
  const proven = new Set<string>()

  const pairOf = ({ origin, name }: Guess) => JSON.stringify([origin, name])
  const countersOf = (guess: Guess) => {
    const counters = [ofPair.of(pairOf(guess)), ofAddress.of(guess.origin)]
    // Else a stranger could lock out everybody: a name is not held back here by guesses from elsewhere.
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
      remember(proven, pairOf(guess))
    },
  }
}

/** What counts as one origin: an IPv4 address, or the first 64 bits of an IPv6 one. Where something stands between that is no trusted proxy, all behind it are one origin, apart from whoever asks without it. */
export function originOf(address: string | undefined, isForwarded: boolean): string {
  if (address === undefined) return 'unknown'
  const plain = plainAddress(address)
  const key = isLoopbackAddress(plain) ? thisMachine : addressKey(plain)
  return isForwarded ? `behind ${key}` : key
}

/** Each tells that a proxy passed the request on. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-host', 'x-forwarded-proto']

/** The origin of a request. */
export function readOrigin(req: IncomingMessage, trustedProxies: AddressRanges): string {
  const isForwarded = proxyHeaders.some((name) => req.headers[name] !== undefined)
  const sender = readSender(req, trustedProxies)
  // A trusted proxy says for whom it asks.
  return originOf(sender, isForwarded && sender === req.socket.remoteAddress)
}

/** What people are told who are held back. */
export function sayWait(seconds: number): string {
  return `Too many passwords were wrong here: wait ${seconds} s, then try again.`
}

/** Keeps the newest. */
export function remember(known: Set<string>, text: string): void {
  known.delete(text)
  known.add(text)
  for (const oldest of known) {
    if (known.size <= maxEntries) break
    known.delete(oldest)
  }
}

/** Counts within windows that begin with the first count. */
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
