import { describe, it } from 'vitest'
import { createSignedHttpPharmacy } from '../src/signed-http/signed-http-pharmacy.ts'
import { connectorContract, startFarSide } from '../../testing/src/index.ts'
import { transferSubject } from '../../../test/support/transfer-subject.ts'
import { TransferNotice } from '@pawl/pharmacy'

const secret = `whsec_${Buffer.from('a secret for tests only').toString('base64')}`

describe('the signed HTTP pharmacy keeps the contract', () => {
  const rules = connectorContract({
    ...transferSubject,
    async start() {
      const inbox = new Map<string, TransferNotice>()
      let tests = 0
      const farSide = await startFarSide(({ body }) => {
        if (body.includes('"prescription_transfer.test"')) {
          tests += 1
          return { status: 204 }
        }
        const notice = TransferNotice.parse(JSON.parse(body))
        if (!inbox.has(notice.id)) inbox.set(notice.id, notice)
        return { status: 204 }
      })
      return {
        ...farSide,
        // Its check posts a test notice, which asks for nothing.
        changes: () => farSide.changes() - tests,
        connect: () => createSignedHttpPharmacy({ url: farSide.url, secrets: [secret] }),
        held: async (resourceId) =>
          [...inbox.values()]
            .filter(({ data }) => data.prior_authorization_id === resourceId)
            .map(({ data }) => data.status),
      }
    },
  })
  for (const { name, check } of rules) it(name, check)
})
