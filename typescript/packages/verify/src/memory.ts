/** Answers that are worth keeping, the newest `size` of them: what is asked must determine the answer. */
export class Memory<T> {
  readonly #size: number;
  readonly #answers = new Map<string, T>();

  constructor(size: number) {
    this.#size = size;
  }

  recall(asked: string, answer: () => T): T {
    const known = this.#answers.get(asked);
    if (known !== undefined) return known;
    const found = answer();
    const [oldest] = this.#answers.keys();
    if (oldest !== undefined && this.#answers.size >= this.#size) this.#answers.delete(oldest);
    this.#answers.set(asked, found);
    return found;
  }
}
