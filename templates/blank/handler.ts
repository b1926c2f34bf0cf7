import { defineHandler } from '#pawl'

/** Logs the status of each PA: the smallest handler, as a start for your own. */
export default defineHandler({
  name: 'blank',
  on: ['prior_authorization.status_change'],
  async handle({ resource, log }) {
    log.info({ status: resource.status }, 'this is how it stands now')
  },
})
