import { defineHandler } from '#pawl'

/** Notes in the log how each PA stands: the smallest handler, to begin your own with. */
export default defineHandler({
  name: 'blank',
  on: ['prior_authorization.status_change'],
  async handle({ resource, log }) {
    log.info({ status: resource.status }, 'this is how it stands now')
  },
})
