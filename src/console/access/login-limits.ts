import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { isLoopbackAddress } from '../../public-address.ts'

/** Wrong passwords in a quarter of an hour: of one address, and for one name. */
const maxWrong = { ofAddress: 20, forName: 50 }
const duration = 15 * 60

/** Holds back who tries passwords. */
export interface LoginLimits {
  /** Takes one try of both; resolves with after how many seconds the next is looked at, where there is none left. */
  take(this: void, address: string, name: string): Promise<number | undefined>
  /** Gives the try back, as the password was right. */
  giveBack(this: void, address: string, name: string): Promise<void>
}

/** Counts in this process alone. A name is not held back on this machine, or whoever fails elsewhere could lock everybody out. */
export function createLoginLimits(): LoginLimits {
  const byAddress = new RateLimiterMemory({ points: maxWrong.ofAddress, duration })
  const byName = new RateLimiterMemory({ points: maxWrong.forName, duration })

  async function consume(limiter: RateLimiterMemory, key: string): Promise<number | undefined> {
    try {
      await limiter.consume(key)
      return undefined
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      return Math.max(1, Math.ceil(error.msBeforeNext / 1_000))
    }
  }

  return {
    async take(address, name) {
      const wait = await consume(byAddress, address)
      if (wait !== undefined || isLoopbackAddress(address)) return wait
      return consume(byName, name)
    },
    async giveBack(address, name) {
      await byAddress.reward(address)
      if (!isLoopbackAddress(address)) await byName.reward(name)
    },
  }
}
