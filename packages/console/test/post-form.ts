import request from 'supertest'

/** Sends a form of the console as Maria's browser does. */
export const postForm = (adminUrl: string, address: string, fields: object) =>
  request(adminUrl)
    .post(address)
    .type('form')
    .set({ 'sec-fetch-site': 'same-origin', 'x-pawl-actor': 'maria@ops-1' })
    .send(fields)
