"""The rulings in short, by id, and the topics under which players ask for them; words only, no rule is decided here."""

from typing import Final

RULINGS: Final[dict[str, str]] = {
    "C1": "Everybody has 16 tokens. Two of them are markers; the others, 14, go on fame tracks and good-deed rows.",
    "S1": "All cards are shuffled and three are laid face up; the first of them is no Hidden Agenda.",
    "S2": "The first turn order is drawn by lot.",
    "S3": "Nobody has points yet, and nothing is on the board.",
    "M1": "Before every action the display is put right, over and over until it holds: empty positions are filled, "
    "cards out of play leave, three good deeds are discarded, and so are both Hidden Agendas of one track.",
    "M2": "When the deck is used up and a card is wanted, the discards become the new deck; the face-up cards stay.",
    "M3": "Positions are filled from the first to the third, and a new card lies where the old one lay.",
    "M4": "Hidden Agendas of different tracks may lie side by side, and so may both cards of one good deed.",
    "M5": "The first card off a new deck is no Hidden Agenda as long as there is anything else in it.",
    "M6": "A used card is replaced from the deck before its action is carried out, and discarded after it.",
    "M7": "A finished track or row is out of play: its card leaves when face up, and passes when it is turned over.",
    "M8": "After an action a new turn order comes first if the round is over, then the display is put right.",
    "T1": "On your turn you carry out two actions, each with a face-up card: trips and good deeds as you like.",
    "T2": "When everybody has had a turn, the next turn order is drawn by lot.",
    "T3": "A free action does not count as one of your two, and one may follow another.",
    "R1": "With no token in hand you first take an own one back from any fame track; with one in hand you may not.",
    "R2": "On an empty track you begin on 1.",
    "R3": "Otherwise you land on the space after the highest one taken.",
    "R4": "If you were on the track already, your new token goes one space further, as long as there is one.",
    "R5": "Two tokens on a track are the most you keep: the lowest of three returns to your hand.",
    "R6": "A token on the last space finishes the track, and its cards leave the game.",
    "R7": "The first token on or past 8 makes a track known: every token on 8 or lower earns its owner 1 point.",
    "R8": "The first token on or past 32 calls for a deal with another player who has a token below 32 there.",
    "R9": "The first token on or past the red circle makes the action free.",
    "R10": "Being on all inner tracks at once earns 5 points, the first time; being on all outer ones too.",
    "R11": "Each of these rewards of a track is given once in a match, whatever is taken back later.",
    "R12": "A space holds one token, and after a trip nobody has more than two tokens on a track.",
    "D1": "Both choose in secret. Both co-operate: 1 point each. One reneges: 2 for that one, none for the other. Both "
    "renege: none.",
    "D2": "A deal cannot be refused, and it is settled before the red circle and the bonuses are looked at.",
    "D3": "Not revealing your choice in time gives you nothing and the other 2, whatever was chosen; if neither "
    "reveals, both get nothing.",
    "G1": "If you are on the row, your token moves up one space; on the last space it stays.",
    "G2": "If you are not, a token from your hand begins on 1; with an empty hand you cannot choose that deed.",
    "G3": "Then a competitor in last place among the others moves up one, and you score the space that is reached; "
    "among several you choose. From the last space nobody moves and nothing is scored.",
    "G4": "Your own token on the last space finishes the row, and its cards leave the game; a competitor's does not.",
    "E1": "The match ends when all tracks or all rows are finished; the action that does it is carried out in full.",
    "E2": "Each track pays the first three colours from the top down, double for two tokens there.",
    "E3": "Good deeds pay your highest space on any row times the number of rows you are on.",
    "E4": "The highest total wins; equal totals share the win.",
}

TOPICS: Final[dict[str, tuple[str, ...]]] = {
    "": ("T1", "R2", "R3", "R4", "R6", "G1", "G3", "E1", "E2", "E3", "E4"),
    "action": ("T1", "T3", "R1", "G2"),
    "partner": ("R8", "D2"),
    "deal": ("D1", "D2", "D3"),
    "over": ("E1", "E2", "E3", "E4"),
    "start": ("C1", "S1", "S2", "S3"),
    "cards": ("M1", "M2", "M3", "M4", "M5", "M6", "M7", "M8"),
    "turn": ("T1", "T2", "T3"),
    "trip": ("R1", "R2", "R3", "R4", "R5", "R6", "R7", "R8", "R9", "R10", "R11", "R12"),
    "deed": ("G1", "G2", "G3", "G4"),
    "score": ("R7", "R8", "R10", "G3", "E2", "E3", "E4"),
}


def rules(topic: str) -> str:
    """Return the rulings of a topic, or the one with this id, a line each; for an unknown topic, what there is."""
    ids = TOPICS.get(topic.lower()) or (topic.upper(),)
    if ids[0] not in RULINGS:
        return f"There is nothing about {topic!r}. Ask for {', '.join(filter(None, TOPICS))}, or a ruling such as R8."
    return "\n".join(f"{ruling}: {RULINGS[ruling]}" for ruling in ids)
