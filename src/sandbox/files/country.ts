/** The service fills in a US country where an address leaves it out (specification, Address). */
const defaultCountry = 'US'

/** A patient, provider or pharmacy whose address, where there is one, has a country. */
export function withCountry<T extends { address?: object | undefined }>(subject: T): T {
  return subject.address === undefined
    ? subject
    : { ...subject, address: { country: defaultCountry, ...subject.address } }
}
