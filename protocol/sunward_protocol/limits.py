"""Every size, count and time that replicas share, each with its unit and its reason; holds no behaviour."""

from typing import Final

PROTOCOL_VERSION: Final = 2
"""The wire's version; a change of any frame, hash or file raises it and adds a vector."""

FRAME_MOST: Final = 64 * 1024
"""Bytes of the largest frame: what ZeroMQ is told to refuse beyond."""

ACT_MOST: Final = 4 * 1024
"""Bytes of an ACT frame: two of them fit into one evidence frame."""

SMALL_MOST: Final = 512
"""Bytes of a frame that carries only hashes and numbers."""

RESUME_MOST: Final = 1536
"""Bytes of a RESUME frame: eight addresses of the greatest length, and the keys."""

CHANGE_MOST: Final = 10 * 1024
"""Bytes of a frame that names a change: six RESUME frames; a beginning made of such bodies fits into one SYNC frame."""

SYNC_FILL: Final = 48 * 1024
"""Bytes of log entries put into one SYNC frame; leaves room for one entry more below FRAME_MOST."""

SYNC_WINDOW: Final = 1024 * 1024
"""Bytes of log sent in answer to one STATUS: the receiver asks again, so a slow one is never drowned."""

PIECE_MOST: Final = 32 * 1024
"""Bytes of one piece of a genesis body."""

GENESIS_MOST: Final = 1024 * 1024
"""Bytes of a genesis body, component data included."""

CHOICES_MOST: Final = 256
"""Choices in one ACT; the longest chain of effects in any game is far below."""

MEMBERS_MOST: Final = 6
"""Seats at a table: the larger of the two games' counts."""

SAYING_MOST: Final = 200
"""Characters of one thing said: two lines of a terminal."""

SAYINGS_MOST: Final = 5
"""Things that one member may say in SAYINGS_IN seconds; what is more is not heard."""

SAYINGS_IN: Final = 10.0
"""Seconds."""

INVITE_MOST: Final = 1024
"""Characters of an invite that is passed on: twice the longest."""

NAME_MOST: Final = 32
"""Characters of a member's name: what a score line has room for."""

REASON_MOST: Final = 200
"""Characters of the sentence with which somebody leaves or is turned away."""

ENDPOINTS_MOST: Final = 8
"""Addresses that a node says it listens on."""

ENDPOINT_MOST: Final = 128
"""Characters of one address, all of them ASCII."""

CHAIN_LENGTH: Final = 4096
"""Links of a hash chain: draw attempts in one match; ten times the longest match seen, made in 2 ms."""

LEAD: Final = MEMBERS_MOST + 3
"""Steps past the first one not locked here whose frames are kept: as far as a peer gets while one ACK is late here."""

STATUS_EVERY: Final = 1.0
"""Seconds between two STATUS frames: the longest that a lost frame stays lost."""

AWAY_AFTER: Final = 3.5
"""Seconds without a word until a seat is said to be away: three STATUS frames missed."""

CHALLENGE: Final = 3.0
"""Seconds between our claim that somebody owes and our vote: in three STATUS frames what is owed may still come."""

RETURNER: Final = 60.0
"""Seconds to think that a place has at least when it comes back."""

SLEPT: Final = 5.0
"""Seconds between two looks at the clocks beyond which we slept ourselves: they are counted for nobody."""

VOTE_FILL: Final = 24 * 1024
"""Bytes of the end of its log that a VOTE carries: who lacks it cannot tell by itself that it was locked."""

CLAIM_PATIENCE: Final = 6.0
"""Seconds after which whoever is not heard is charged for not claiming as we do."""

DISSENT_PATIENCE: Final = 60.0
"""Seconds after which whoever is heard is charged for that: other clocks may need long to come to the same."""

VOTE_AGAIN: Final = 6.0
"""Seconds after which we vote again for the same change, if the epoch that we voted for does not begin."""

VOTE_AGAIN_MOST: Final = 8
"""How many times that we wait at most: once more for every epoch that was voted for in vain."""

VOTE_LEAD: Final = 2**20
"""How far beyond our epoch a vote may be for us to follow it at once: weeks of failed votes, and yet a bound."""

RETURNS_MOST: Final = 3
"""How often the time is doubled for which who asked to be back, and then was not there, is let in no more.

It has to stay below DISSENT_PATIENCE: whoever is started again has forgotten it, and is not to be charged for that.
"""

PROOFS_MOST: Final = 4
"""How many proofs against one place are kept: one is enough, and who cheats can make as many as they like."""

RESUMES_MOST: Final = 4
"""How often who is out may change their word in one epoch; after that the others go on without them."""

ACK_PATIENCE: Final = 0.004
"""Seconds that the next to act holds back its ACK, for its action to carry it: unseen by a person, enough for a bot."""

SEAL_PATIENCE: Final = 15.0
"""Seconds that a proposed genesis waits for all signatures before it is void."""

PROPOSE_EVERY: Final = 2.0
"""Seconds after which a genesis is proposed again to whoever did not sign it: its pieces may have been lost."""

KNOCK_EVERY: Final = 0.5
"""Seconds between two attempts to be heard by a host."""

KNOCKING_MOST: Final = 64
"""Strangers that a host remembers having challenged; ten times a table, and an invite is seldom shown to more."""
