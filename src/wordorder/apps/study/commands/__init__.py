"""Run a human study of word order: create it, serve it to participants, and analyse their answers.

examples:
  wordorder study new rate DIR --ref ref.txt --hyp A.txt B.txt     create a study folder
  wordorder study check DIR                    what people will see, minutes, lists, power
  wordorder study simulate DIR --people 28     a full dry run
  wordorder study invite DIR 28                links for 28 people
  wordorder study serve DIR                    serve the study until Ctrl-C; no answer is lost
  wordorder study status DIR                   the progress of each person
  wordorder study backup DIR --to FILE         copy everything that is stored
  wordorder study close DIR                    stop accepting answers
  wordorder study analyse DIR                  analyse the answers
  wordorder study COMMAND --help               the options of a command, with examples
"""

COMMANDS = {
    "new": "create a study folder from aligned texts or system outputs",
    "check": "preview what people will see, the duration, lists and power",
    "simulate": "simulate answers with known effects, and analyse them",
    "invite": "create links for participants",
    "serve": "serve the study to participants",
    "status": "show the progress of each person",
    "backup": "copy the database while the study is served",
    "close": "stop accepting answers, or accept them again",
    "withdraw": "withdraw a person, or erase all data about them",
    "export": "export answers as texts, orders, ratings, preferences and alignments",
    "analyse": "analyse the answers",
}
