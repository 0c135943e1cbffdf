// What a seeded bug is: a fault that was put in on purpose, and the one code under which its kit must find it.

/** A subject with one fault. */
export interface SeededBug<Subject> {
  readonly title: string
  /** The code that the kit must tell, and no other. */
  readonly code: string
  readonly subject: Subject
}
